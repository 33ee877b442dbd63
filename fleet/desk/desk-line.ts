/** How an edge asks counters about the flow of one event. */
export interface DeskLine {
  /** Resolves when the next of many questions may be sent: a counter limits the questions of an edge. */
  turn(): Promise<void>;
  /** Returns the answers by the names of the counters. Empty: none has received the question. */
  askAll(question: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>>;
  /** @throws DeskUnavailableError: the counter does not answer within `limitMs` */
  ask(counter: string, question: Uint8Array, limitMs: number): Promise<Uint8Array>;
}
