/** Limits for sending alarms; tests shorten them. */
export interface WebhookLimits {
  /** A slower answer counts as none. */
  readonly answerMs: number;
  /** The longest pause between two attempts, also if the receiver asks for a longer one. */
  readonly maxRetryDelayMs: number;
  /** An older message is dropped: nobody goes to a gate for it any more. */
  readonly maxAgeMs: number;
  /** The most messages that wait; the oldest are dropped first. */
  readonly maxWaiting: number;
  /** Failures become a warning after this long. */
  readonly quietMs: number;
  /** How long a stopping server waits for the current message. */
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
