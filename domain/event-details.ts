/** What people say of an event: times are Unix time, in milliseconds. */
export interface EventDetails {
  readonly title: string;
  readonly gatesOpenAtMs: number | null;
  readonly kickOffAtMs: number | null;
  /** An IANA name; null: the venue's. */
  readonly timeZone: string | null;
}
