import { readRoleConfig } from '../../server/roles/role-config.ts';

/** Returns the message with the faults of these settings; empty: there are none. */
export function faultsOf(env: Record<string, string>): string {
  try {
    readRoleConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
