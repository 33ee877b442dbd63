import type { Logger } from 'pino';
import { startFleet } from './parts.ts';
import type { RoleConfig } from './roles/role-config.ts';
import type { Overrides, Triagem } from './roles/triagem.ts';

/** Starts the role of the settings. A role loads only its own code: an edge has none of a database. */
export async function startTriagem(
  config: RoleConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  if (config.role !== 'all-in-one') return startFleet(config, log, overrides);
  return (await import('./roles/all-in-one.ts')).startAllInOne(config, log, overrides);
}
