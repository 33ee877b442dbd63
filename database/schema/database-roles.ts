/**
 * Who prepares a database, and for whom: connection strings to it, which may name several hosts, the primary among them.
 * `undefined`: no such role is made; without the first one nothing is observed there, and without the last one there is no
 * table of the record.
 */
export interface DatabaseRoles {
  readonly ownerUrl: string;
  readonly observerUrl: string | undefined;
  readonly gatesUrl: string | undefined;
  readonly recordUrl: string | undefined;
}
