import { connectionStringProblem } from '../database/connection-string.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const MIN_SECRET_LENGTH = 16;

/** Reads settings one by one, and collects their faults, so that all are reported at once. */
export class SettingReader {
  readonly faults: string[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** An empty value counts as not set. */
  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  connectionString(name: string): string | undefined {
    const value = this.text(name);
    const problem = value === undefined ? undefined : connectionStringProblem(value);
    if (problem !== undefined) this.faults.push(`${name} ${problem}`);
    return value;
  }

  port(name: string, fallback: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
    this.faults.push(`${name} is "${value}": give a port from 0 to 65535`);
    return fallback;
  }

  count(name: string, fallback: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
    this.faults.push(`${name} is "${value}": give a whole number from 1 to 9999999`);
    return fallback;
  }

  /** `neededWith`: what requires it, as "with DATABASE_URL"; `undefined`: nothing does. */
  secret(name: string, neededWith?: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) {
      if (neededWith !== undefined) {
        this.faults.push(`${name} is missing: ${neededWith}, set one (openssl rand -hex 24 makes one)`);
      }
    } else if (value.length < MIN_SECRET_LENGTH) {
      this.faults.push(`${name} is too short: give at least ${MIN_SECRET_LENGTH} characters`);
    }
    return value;
  }

  /** A missing value is a fault. */
  needed(name: string, why: string): string {
    const value = this.text(name);
    if (value === undefined) this.faults.push(`${name} is missing: ${why}`);
    return value ?? '';
  }
}
