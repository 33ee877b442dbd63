import { STATUS_CODES } from 'node:http';
import { GatesError } from '../cli/errors.ts';
import { RETRY_AFTER_S } from './limits.ts';

/** What is wrong with one message of a body. */
interface MessageError {
  /** Which message of the body, from 1 on. */
  readonly message: number;
  /** The line of the body in which it begins, from 1 on. */
  readonly line: number;
  readonly id?: string;
  readonly detail?: string;
}

/** The first ones, and how many there are. */
interface MessageErrors {
  readonly count: number;
  readonly first: readonly MessageError[];
}

/** Why a request changed nothing: what its client is answered. */
export class Refusal extends GatesError {
  readonly status: number;
  readonly retryAfterS: number | undefined;
  readonly errors: MessageErrors | undefined;

  constructor(status: number, detail: string, more: { retryAfterS?: number; errors?: MessageErrors } = {}) {
    super(detail);
    this.status = status;
    this.retryAfterS = more.retryAfterS;
    this.errors = more.errors;
  }

  /** A problem document (RFC 9457). */
  toProblem(): Problem {
    const { status, message: detail, errors } = this;
    return {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? '',
      status,
      detail,
      ...(errors && { errorCount: errors.count, errors: errors.first }),
    };
  }
}

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errorCount?: number;
  readonly errors?: readonly MessageError[];
}

/** It is not the request's fault, and may work later. */
export function unavailable(detail: string): Refusal {
  return new Refusal(503, detail, { retryAfterS: RETRY_AFTER_S });
}
