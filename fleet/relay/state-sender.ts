import type { Logger } from 'pino';
import type { CountsSlice } from '../../domain/event-state.ts';
import { encodeState } from './encode.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import type { SliceName, Subjects } from './subjects.ts';
import { NO_DOCUMENTS, type OtherSlice, type SliceVersion, type Sender } from './wire.ts';

export interface StateSenderOptions {
  readonly from: Sender;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish'>;
  /** The server that was counted last, as its source names it. */
  readonly server: () => string | undefined;
  readonly log: Logger;
}

export interface Versioned<Slice> {
  readonly state: Slice;
  readonly digest: string;
}

export type OtherSlices = Partial<Record<OtherSlice['kind'], Versioned<OtherSlice>>>;

/** Publishes one slice of a state on its subject. */
export class StateSender {
  readonly #options: StateSenderOptions;
  readonly #log: LogOnce;
  #sent = 0;

  constructor(options: StateSenderOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
  }

  /** How many slices were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Sends counts with the versions of their event's other slices. Returns the size in bytes. */
  sendCounts(state: CountsSlice, others: OtherSlices = {}): number {
    const message = {
      from: this.#options.from,
      state,
      server: this.#options.server(),
      documents: versionOf(others.documents) ?? { position: state.position, digest: NO_DOCUMENTS },
      details: versionOf(others.details),
      incomplete: versionOf(others.incomplete),
    };
    return this.#send(state.eventId, 'counts', () => encodeState(message));
  }

  /** Returns the size in bytes. */
  sendSlice({ state, digest }: Versioned<OtherSlice>): number {
    const { from, server } = this.#options;
    return this.#send(state.eventId, state.kind, () =>
      encodeState({ from, state, server: server(), digest }),
    );
  }

  #send(eventId: string, slice: SliceName, encode: () => Buffer): number {
    const { link, subjects, from } = this.#options;
    try {
      const message = encode();
      link.publish(subjects.state({ counter: from.counter, eventId, slice }), message);
      this.#sent += 1;
      return message.length;
    } catch (error) {
      const which = { eventId, slice };
      this.#log.error(
        'state',
        `${eventId} ${slice}`,
        { err: error, ...which },
        'a state cannot be published',
      );
      return 0;
    }
  }
}

function versionOf(slice: Versioned<OtherSlice> | undefined): SliceVersion | undefined {
  return slice && { position: slice.state.position, digest: slice.digest };
}
