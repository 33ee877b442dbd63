import type { LiveMessage } from '../../domain/live-message.ts';

/** The kinds of state that a viewer follows. Of each, only the newest is worth sending. */
export type StateKind = 'counts' | 'source' | 'sectors';

/** Carries the newest state to every viewer. */
export interface FanOut {
  /**
   * Replaces the state of this kind. It is sent soon, at the latest after MAX_FRAME_INTERVAL_MS, unless a newer
   * one replaces it first: no viewer ever gets an older state after a newer one. `message` is called when it is
   * sent, and again for each viewer that joins later.
   */
  publish(kind: StateKind, message: () => LiveMessage): void;
  /** The viewer gets the newest state of every kind at once. Returns how it leaves; leaving twice is harmless. */
  join(viewer: Viewer): () => void;
  /** Ends every viewer's stream. Nothing is sent after it. */
  close(): void;
}

/** One open stream, as the fan-out sees it. */
export interface Viewer {
  /** Sends the text of server-sent events. False: the viewer is slow; send no more before `onDrain`. */
  send(frame: Frame): boolean;
  /** Calls `resume` once, when the viewer can take more. */
  onDrain(resume: () => void): void;
  /** Ends the stream; the viewer is expected to come back. */
  end(): void;
  /** Cuts it, without waiting for bytes that nobody reads. */
  cut(): void;
  /** When its session ends, in milliseconds of `performance.now()`. */
  readonly expiresAtMs: number;
}

/** Events encoded once for all viewers, framed as one chunk of HTTP/1.1's chunked transfer coding. */
export type Frame = Buffer;
