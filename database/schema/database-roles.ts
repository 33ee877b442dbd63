/**
 * Connection strings to a database for the roles to prepare; they may name several hosts, the primary among them.
 * `undefined`: no such role is made. Without an observer nothing is observed, without the record's role there are no tables of
 * the record.
 */
export interface DatabaseRoles {
  readonly ownerUrl: string;
  readonly observerUrl: string | undefined;
  readonly gatesUrl: string | undefined;
  readonly recordUrl: string | undefined;
}
