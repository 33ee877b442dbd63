import type { EventStateSlice, Freshness } from '../../domain/event-state.ts';

/** Carries the newest state of one event to every viewer, stamped with its own clock at the moment of sending. */
export interface FanOut {
  /** How many tickets are valid; `undefined` while the counts are not live. */
  readonly validTickets: number | undefined;
  /**
   * Replaces this slice of the state. It is sent soon (frame-pacing.ts decides when), unless a newer one replaces it first.
   * Counts of an earlier position than the last ones are left out: no viewer ever gets an older state after a newer one.
   */
  publish(slice: EventStateSlice): void;
  /** Publishes the freshness, whose instant is of this process's monotonic clock. */
  publishFreshness(freshness: Freshness): void;
  /** Sends the viewer the whole state at once. Returns how to remove it; removing it twice is harmless. */
  join(viewer: Viewer): () => void;
  /** Closes every viewer's stream, also those of viewers that join later. Nothing is sent after it. */
  close(): void;
}

/** One open stream, as the fan-out sees it. */
export interface Viewer {
  /** Sends the text of server-sent events. False: the viewer is slow; send no more before `onDrain`. */
  send(frame: Frame): boolean;
  /** Calls `resume` once, when the viewer can take more. */
  onDrain(resume: () => void): void;
  /** Closes the stream; the viewer is expected to reconnect. */
  end(): void;
  /** Cuts the stream without waiting for unread bytes. */
  cut(): void;
  /** When its session ends, in milliseconds of `performance.now()`. */
  readonly expiresAtMs: number;
}

/** Events encoded once for all viewers, framed as one chunk of HTTP/1.1's chunked transfer coding. */
export type Frame = Buffer;
