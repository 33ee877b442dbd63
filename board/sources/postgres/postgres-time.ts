/** PostgreSQL counts time in microseconds since the beginning of 2000. */
const EPOCH_US = 946_684_800_000_000n;

/** Unix time in milliseconds → as the replication protocol writes it. */
export function toPostgresTime(unixMs: number): bigint {
  return BigInt(Math.round(unixMs)) * 1_000n - EPOCH_US;
}

/** Converts a time of the replication protocol to Unix time in milliseconds, with fractions. */
export function fromPostgresTime(postgresUs: bigint): number {
  return Number(postgresUs + EPOCH_US) / 1_000;
}
