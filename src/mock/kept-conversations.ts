// Conversations that a server stores and clients continue by the id of an answer, as OpenAI's responses do with
// `store`: the newest ones, each with its whole text so far.

interface KeptConversation {
  /** All texts, the answer included. */
  readonly text: string;
  readonly messages: number;
}

export class KeptConversations {
  readonly #kept: Map<string, KeptConversation> = new Map();
  #characters = 0;

  of(id: string): KeptConversation | undefined {
    return this.#kept.get(id);
  }

  keep(id: string, conversation: KeptConversation): void {
    this.#kept.set(id, conversation);
    this.#characters += conversation.text.length;
    for (const [oldest, { text }] of this.#kept) {
      if (this.#characters <= KEPT_CHARACTERS_MAX) return;
      this.#kept.delete(oldest);
      this.#characters -= text.length;
    }
  }
}

const KEPT_CHARACTERS_MAX = 67_108_864;
