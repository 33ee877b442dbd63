/** The metadata of an event. Times are milliseconds since 1970. */
export interface EventDetails {
  readonly title: string;
  readonly gatesOpenAtMs: number | null;
  readonly kickOffAtMs: number | null;
  /** An IANA name; null: the venue's. */
  readonly timeZone: string | null;
}
