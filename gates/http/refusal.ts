import { STATUS_CODES } from 'node:http';
import { GatesError } from '../errors.ts';
import { MAX_COUNTED_ERRORS, MAX_LISTED_ERRORS, RETRY_AFTER_S } from './limits.ts';

/** What is wrong with one message of a body. */
export interface MessageError {
  /** Which message of the body, from 1 on. */
  readonly message: number;
  /** The line of the body in which it begins, from 1 on. */
  readonly line: number;
  readonly id?: string;
  readonly detail: string;
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

/** What is wrong with a body: the first ones, and how many there are, up to MAX_COUNTED_ERRORS. */
export class MessageErrors {
  readonly first: MessageError[] = [];
  count = 0;

  add(error: MessageError): void {
    if (this.count === MAX_COUNTED_ERRORS) return;
    this.count += 1;
    if (this.first.length < MAX_LISTED_ERRORS) this.first.push(error);
  }

  toRefusal(one: string, many: string): Refusal {
    const count = this.count === MAX_COUNTED_ERRORS ? `at least ${this.count}` : String(this.count);
    const what = this.count === 1 ? `1 ${one}` : `${count} ${many}`;
    const listed = this.count > this.first.length ? ` The first ${this.first.length} are listed.` : '';
    return new Refusal(422, `Nothing was changed: ${what}.${listed}`, { errors: this });
  }
}

/** It is not the request's fault, and may work later. */
export function unavailable(detail: string): Refusal {
  return new Refusal(503, detail, { retryAfterS: RETRY_AFTER_S });
}
