import { type Config, readConfig } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { type FleetConfig, readFleetConfig } from '../parts.ts';
import type { Environment } from '../setting-reader.ts';

export type RoleConfig = (Config & { readonly role: 'all-in-one' }) | FleetConfig;

/** Reads the environment of a process of any role. Throws a ConfigError that names every fault. */
export function readRoleConfig(env: Environment): RoleConfig {
  const role = env['ROLE']?.trim() || 'all-in-one';
  if (role === 'all-in-one') return { role, ...readConfig(env) };
  const config = readFleetConfig(role, env);
  if (config) return config;
  throw new ConfigError([
    `ROLE is "${role}": give counter or edge, or nothing for one process with everything`,
  ]);
}
