import { OperatorError } from '../domain/operator-error.ts';

/** The message names every setting at fault, with its fix. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';

  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Triagem cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}
