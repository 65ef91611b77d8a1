// The browser's history as a value. Plain links work as links: a click on one of ours changes the page in place, any
// other click (new tab, download, elsewhere) is left to the browser.

import { tick } from 'svelte';
import { type PageRoute, routeOf } from './route.ts';

export class Router {
  route: PageRoute = $state.raw(routeOf(location.pathname));
  /** The part after the "?", so that a filtered view can be shared. */
  query: URLSearchParams = $state.raw(new URLSearchParams(location.search));
  /** With its "#"; what no daemon is to see. */
  fragment: string = $state.raw(location.hash);

  /** Follows clicks and the back button; returns what ends it. */
  start(): () => void {
    const pop = (): void => this.#read();
    const click = (event: MouseEvent): void => {
      const path = ownPath(event);
      if (path === undefined) return;
      event.preventDefault();
      this.go(path);
    };
    addEventListener('popstate', pop);
    document.addEventListener('click', click);
    return () => {
      removeEventListener('popstate', pop);
      document.removeEventListener('click', click);
    };
  }

  go(path: string): void {
    if (path !== location.pathname + location.search + location.hash) history.pushState(null, '', path);
    this.#read();
    scrollTo(0, 0);
    void this.#focusPage();
  }

  /** Puts another query behind the path: the same page, no step of the back button. */
  request(query: URLSearchParams): void {
    history.replaceState(null, '', addressHere(query));
    this.query = query;
  }

  /** The same, but as a step of the back button: for what is picked or opened on a page. */
  step(query: URLSearchParams): void {
    const path = addressHere(query);
    if (path !== location.pathname + location.search + location.hash) history.pushState(null, '', path);
    this.query = query;
  }

  #read(): void {
    this.route = routeOf(location.pathname);
    this.query = new URLSearchParams(location.search);
    this.fragment = location.hash;
  }

  /** Once the new page is shown, focus moves to its start, so screen readers announce it. */
  async #focusPage(): Promise<void> {
    await tick();
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  }
}

/** This page with another query. */
const addressHere = (query: URLSearchParams): string => {
  const text = query.toString();
  return location.pathname + (text === '' ? '' : `?${text}`) + location.hash;
};

/** The path that a click on one of our links asks for; undefined if the browser should handle it. */
const ownPath = (event: MouseEvent): string | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (link === null || link.hasAttribute('target') || link.hasAttribute('download')) return undefined;
  const href = link.getAttribute('href') ?? '';
  return href.startsWith('/') && !href.startsWith('//') && !href.startsWith('/api/') ? href : undefined;
};
