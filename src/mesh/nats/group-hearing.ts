// Which subjects the nodes of one connection use for readings. If all nodes support groups, readings go to
// the rack of their node; while a node without support is present, to all, as before groups. A server with
// older permissions refuses the new subjects: its nodes then publish to all.

import { FLEET_WAYS, type FleetMembers } from './fleet-members.ts';
import type { FleetHearing, FleetSubjects } from './fleet-subjects.ts';

interface GroupHearingParts {
  readonly members: FleetMembers;
  readonly subjects: FleetSubjects;
  readonly hearing: FleetHearing;
}

export class GroupHearing {
  readonly #parts: GroupHearingParts;
  #isRefused = false;

  constructor(parts: GroupHearingParts) {
    this.#parts = parts;
  }

  /** All of it is subscribed to; `refused` records what the server refuses. */
  get subscribed(): readonly string[] {
    const { subjects, hearing } = this.#parts;
    return [...subjects.heard, ...subjects.heardOfGroups(hearing)];
  }

  /** The server did not permit this node a subject. */
  refused(subject: string): void {
    this.#isRefused ||= this.#parts.subjects.isOfGroups(subject);
  }

  /** For the digests of this node. */
  get ownWay(): number {
    return this.#isRefused ? FLEET_WAYS.earlier : FLEET_WAYS[this.#parts.hearing];
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
