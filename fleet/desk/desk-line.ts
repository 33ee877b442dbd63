/** How an edge asks counters about the flow of one event. */
export interface DeskLine {
  /** Resolves when it is the turn of one of many questions: a counter answers an edge so many, and no more. */
  turn(): Promise<void>;
  /** What each counter answers within a moment, by its name. Empty: none has heard it. */
  askAll(question: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Rejects with a DeskUnavailableError where that counter does not answer within `limitMs`. */
  ask(counter: string, question: Uint8Array, limitMs: number): Promise<Uint8Array>;
}
