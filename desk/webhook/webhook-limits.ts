/** Of the sending of alarms, in milliseconds unless said otherwise. Tests shorten them. */
export interface WebhookLimits {
  /** A receiver that takes longer to answer has not answered. */
  readonly answerMs: number;
  /** The longest pause between two attempts; what the receiver asks for counts up to this, too. */
  readonly maxRetryDelayMs: number;
  /** How old a message may become until it is given up: nobody goes to a gate for it any more. */
  readonly maxAgeMs: number;
  /** How many messages wait at most; the oldest are given up first. */
  readonly maxWaiting: number;
  /** So long it may fail until whoever watches the server is told. */
  readonly quietMs: number;
  /** What a message that is under way gets when the server stops. */
  readonly closeGraceMs: number;
}

export const WEBHOOK_LIMITS: WebhookLimits = {
  answerMs: 10_000,
  maxRetryDelayMs: 60_000,
  maxAgeMs: 24 * 60 * 60_000,
  maxWaiting: 1_000,
  quietMs: 60_000,
  closeGraceMs: 500,
};
