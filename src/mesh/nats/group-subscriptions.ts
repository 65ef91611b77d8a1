// Which subjects the nodes of one connection use for readings. If all nodes support groups, readings go to
// the rack of their node; while a node without support is present, to all, as before groups. A server with
// older permissions refuses the new subjects: its nodes then publish to all.

import { FLEET_WAYS, type FleetMembers } from './fleet-members.ts';
import type { FleetSubjects, FleetSubscriptions } from './fleet-subjects.ts';

interface GroupSubscriptionsParts {
  readonly members: FleetMembers;
  readonly subjects: FleetSubjects;
  readonly subscriptions: FleetSubscriptions;
}

export class GroupSubscriptions {
  readonly #parts: GroupSubscriptionsParts;
  #isRefused = false;

  constructor(parts: GroupSubscriptionsParts) {
    this.#parts = parts;
  }

  /** All of it is subscribed to; `refused` records what the server refuses. */
  get subscribed(): readonly string[] {
    const { subjects, subscriptions } = this.#parts;
    return [...subjects.received, ...subjects.groupsOfSubscriptions(subscriptions)];
  }

  /** The server did not permit this node a subject. */
  refused(subject: string): void {
    this.#isRefused ||= this.#parts.subjects.isOfGroups(subject);
  }

  /** For the digests of this node. */
  get ownWay(): number {
    return this.#isRefused ? FLEET_WAYS.earlier : FLEET_WAYS[this.#parts.subscriptions];
  }

  /** Readings of this node go to its group, and runs to their own subjects. */
  get isByGroups(): boolean {
    return !this.#isRefused && !this.#parts.members.hasEarlier;
  }

  /**
   * Some node only receives the readings of its rack, and what is published to all such nodes from time to
   * time.
   */
  get hasSlow(): boolean {
    return this.isByGroups && this.#parts.members.hasOfGroups;
  }
}
