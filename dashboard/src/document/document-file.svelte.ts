// The file of a plain document as the daemon returns it, as sections: requested again while it changes.

import { PLAIN_FORMS } from '../../../src/render/document/plain-kinds.ts';
import type { Section } from '../../../src/render/section.ts';
import { documentAnswerSchema } from '../../../src/wire/api/document-answers.ts';
import { fetchDaemon } from '../shell/fetch-daemon.ts';

export class DocumentFile {
  sections: readonly Section[] = $state.raw([]);
  /** Why there are none; '' if there are some, or before they came. */
  notice: string = $state.raw('');
  readonly #form: string;
  readonly #id: string;
  #isFetching = false;
  #isStale = false;

  constructor(form: string, id: string) {
    this.#form = form;
    this.#id = id;
  }

  async request(): Promise<void> {
    this.#isStale = this.#isFetching;
    if (this.#isFetching) return;
    this.#isFetching = true;
    const reply = await fetchDaemon(`/api/documents/${encodeURIComponent(this.#id)}`, documentAnswerSchema);
    this.#isFetching = false;
    const { file, notice } = reply.kind === 'here' ? reply.value : { file: null, notice: reply.reason };
    this.notice = notice;
    const form = PLAIN_FORMS.find(each => each.form === this.#form);
    const report = file === null ? notice : (form?.read(file) ?? 'this page does not know its kind');
    if (typeof report === 'string') this.notice = report;
    else this.sections = report.sections;
    if (this.#isStale) await this.request();
  }
}
