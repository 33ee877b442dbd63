import type { LiveMessage } from '../../domain/live-message.ts';
import type { FanOut, StateKind, Viewer } from '../fan-out/fan-out.ts';

/** What the board last told its viewers. */
export interface BoardFacts {
  /** Of the counts: how many commits have changed them since the snapshot. `undefined` before the first. */
  readonly version: number | undefined;
  readonly isLive: boolean;
  /** Milliseconds since the counts were last known to be right; 0 while they are live. */
  readonly ageMs: number;
  /** How many snapshots there were after the first: each began a new observation. */
  readonly restarts: number;
}

/** Notes what passes through a fan-out. */
export class WatchedFanOut implements FanOut {
  readonly #inner: FanOut;
  readonly #newest = new Map<StateKind, () => LiveMessage>();
  #epoch = '';
  #epochs = 0;

  constructor(inner: FanOut) {
    this.#inner = inner;
  }

  publish(kind: StateKind, message: () => LiveMessage): void {
    this.#newest.set(kind, message);
    if (kind === 'counts') this.#noteEpoch(message());
    this.#inner.publish(kind, message);
  }

  join(viewer: Viewer): () => void {
    return this.#inner.join(viewer);
  }

  close(): void {
    this.#inner.close();
  }

  facts(): BoardFacts {
    const counts = this.#newest.get('counts')?.();
    const source = this.#newest.get('source')?.();
    const state = source?.event === 'source' ? source.data : undefined;
    return {
      version:
        counts?.event === 'counts' ? Number(counts.id.slice(counts.id.lastIndexOf(':') + 1)) : undefined,
      isLive: state?.live === true,
      ageMs: state && !state.live ? state.ageMs : 0,
      restarts: Math.max(0, this.#epochs - 1),
    };
  }

  #noteEpoch(message: LiveMessage): void {
    if (message.event !== 'counts') return;
    const epoch = message.id.slice(0, message.id.lastIndexOf(':'));
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#epochs += 1;
  }
}
