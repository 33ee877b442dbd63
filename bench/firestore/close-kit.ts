import { collectOpened } from '../../testing/close-once.ts';
import type { Scope } from '../benchmark.ts';

/** What the kit of the tests opens from now on is closed with this scope. */
export function closeKitWith({ stops }: Scope): void {
  collectOpened((close) => stops.push(close));
}
