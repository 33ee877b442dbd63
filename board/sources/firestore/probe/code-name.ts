import { GRPC_CODE } from '../grpc-status.ts';

/** The name of a status code in gRPC; the message that comes with one may name things. */
export function nameOfCode(code: number): string {
  const [name] = Object.entries(GRPC_CODE).find(([, value]) => value === code) ?? [];
  return name ?? `code ${code}`;
}
