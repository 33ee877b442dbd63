import type { TabMemory } from './tab-memory.ts';

/**
 * Reloads the page for a version that the server announces, once per version, and only if the new page will load:
 *
 *   current ──another build announced──▶ waiting (0–30 s) ──live, and everything of it answers──▶ reload
 *                                           ▲                          │
 *                                           └──── not live, or not all of it there yet ────┘
 */
export interface NewVersionOptions {
  /** The build this page came from. */
  readonly build: string | undefined;
  readonly isLive: () => boolean;
  readonly random: () => number;
  /** Whether the server now serves this page and all its files from `build`. */
  readonly isServed: (build: string) => Promise<boolean>;
  readonly memory: TabMemory;
  readonly reload: () => void;
}

const LONGEST_WAIT_MS = 30_000;

/** Returns the function to call with each announced build id. */
export function watchNewVersion(options: NewVersionOptions): (announced: string) => void {
  let wanted: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const wait = () => {
    timer = setTimeout(() => void attempt(), options.random() * LONGEST_WAIT_MS);
  };
  const attempt = async () => {
    const build = wanted;
    timer = undefined;
    if (build === undefined) return;
    const ready = options.isLive() && (await options.isServed(build));
    // Meanwhile the connection may be lost, or a yet newer version announced.
    if (ready && options.isLive() && build === wanted) {
      options.memory.add(build);
      options.reload();
    } else if (timer === undefined) wait();
  };

  return (announced) => {
    const isNew = announced !== options.build && !options.memory.has(announced);
    wanted = isNew ? announced : undefined;
    if (wanted !== undefined && timer === undefined) wait();
  };
}

/** Requests this very page, and every script, style and font that it names. Never rejects. */
export async function isBuildServed(build: string, fetch: typeof globalThis.fetch): Promise<boolean> {
  try {
    const answer = await fetch('', { cache: 'no-store' });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (page.documentElement.dataset['build'] !== build) return false;
    const urls = [...page.querySelectorAll('script[src], link[href]')].map(
      (element) => element.getAttribute('src') ?? element.getAttribute('href') ?? '',
    );
    const answers = await Promise.all(urls.map((url) => fetch(url)));
    return answers.every(({ ok }) => ok);
  } catch {
    return false;
  }
}
