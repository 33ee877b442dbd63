import type { Logger } from 'pino';
import { startFleet } from './parts.ts';
import type { RoleConfig } from './roles/role-config.ts';
import type { Overrides, Triagem } from './roles/triagem.ts';

/** Starts what the settings ask for. A role reads its own parts only: an edge has no code of a database. */
export async function startTriagem(
  config: RoleConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  if (config.role !== 'all-in-one') return startFleet(config, log, overrides);
  return (await import('./roles/all-in-one.ts')).startAllInOne(config, log, overrides);
}
