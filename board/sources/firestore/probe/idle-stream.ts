import { performance } from 'node:perf_hooks';
import type { Channel, ListenCall } from '../channel.ts';
import type { FirestorePlace } from '../firestore-place.ts';
import { GRPC_CODE, type GrpcStatus } from '../grpc-status.ts';
import { decodeListenResponse } from '../messages.ts';
import { encodeAddTarget } from '../requests.ts';
import { emptyQuery } from './probed-stream.ts';

interface IdleStreamOptions {
  readonly place: FirestorePlace;
  readonly channel: Channel;
  readonly token: string;
}

/** A stream whose only target matches nothing and that is asked for nothing: whatever comes on it is a heartbeat. */
export class IdleStream {
  readonly #call: ListenCall;
  #lastSignAtMs: number | undefined;
  #end: GrpcStatus | undefined;
  /** How long nothing had come before each heartbeat. */
  readonly gapsMs: number[] = [];

  constructor({ place, channel, token }: IdleStreamOptions) {
    this.#call = channel.listen(token, {
      onMessage: (bytes) => this.#take(bytes),
      onEnd: (end) => (this.#end ??= end),
    });
    const of = { query: emptyQuery(place) };
    this.#call.send(encodeAddTarget(place.database, { id: 1, of, resumeToken: undefined }));
  }

  /** The status with which Firestore has ended the stream, if it has. */
  get end(): GrpcStatus | undefined {
    return this.#end;
  }

  close(): void {
    this.#end ??= { code: GRPC_CODE.OK, message: '' };
    this.#call.end();
  }

  /** The first read time of the whole stream is the answer to the target. */
  #take(bytes: Buffer): void {
    const nowMs = performance.now();
    if (this.#lastSignAtMs !== undefined) {
      this.gapsMs.push(nowMs - this.#lastSignAtMs);
      this.#lastSignAtMs = nowMs;
      return;
    }
    const response = decodeListenResponse(bytes);
    if (response?.kind !== 'target' || response.change !== 'none') return;
    if (response.targetIds.length === 0 && response.readTimeUs !== undefined) this.#lastSignAtMs = nowMs;
  }
}
