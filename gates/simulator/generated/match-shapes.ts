import { arrivalMinute } from '../arrival-curve.ts';
import type { Random } from './random.ts';

/**
 * `default`: spectators come late, as in Brazil. `castelao`: as on 26 March 2025. `two-waves`: an early and a late wave.
 * `convoy`: like `default`, but most of two sectors come in coaches within a few minutes.
 */
export type MatchShape = 'default' | 'castelao' | 'two-waves' | 'convoy';

/** Maps a share (0 to 1) of the spectators to the minute from kick-off by which they have come. */
export type ArrivalQuantile = (share: number) => number;

const DEFAULT = { centre: -21, scale: 12 };
const FIRST_WAVE = { share: 0.45, centre: -60, scale: 8 };
const SECOND_WAVE = { centre: -10, scale: 7 };
const CONVOY = { share: 0.7, sectors: 2, earliest: -55, latest: -20, scale: 1.5 };

export function quantilesOf(shape: MatchShape, sectorCount: number, random: Random): ArrivalQuantile[] {
  const coaches = new Map<number, ArrivalQuantile>();
  const first = Math.floor(random() * sectorCount);
  const inCoaches = shape === 'convoy' ? CONVOY.sectors : 0;
  for (let sector = first; sector < first + inCoaches; sector += 1) {
    const centre = CONVOY.earliest + random() * (CONVOY.latest - CONVOY.earliest);
    coaches.set(sector % sectorCount, logistic(centre, CONVOY.scale));
  }
  return Array.from({ length: sectorCount }, (_, sector) => {
    const scale = 0.85 + 0.3 * random();
    const late = logistic(DEFAULT.centre, DEFAULT.scale * scale);
    const convoy = coaches.get(sector);
    if (convoy) return mixture(CONVOY.share, convoy, late);
    if (shape === 'castelao') return arrivalMinute;
    if (shape !== 'two-waves') return late;
    return mixture(
      FIRST_WAVE.share,
      logistic(FIRST_WAVE.centre, FIRST_WAVE.scale * scale),
      logistic(SECOND_WAVE.centre, SECOND_WAVE.scale * scale),
    );
  });
}

function logistic(centre: number, scale: number): ArrivalQuantile {
  return (share) => {
    const inside = Math.min(Math.max(share, 1e-6), 1 - 1e-6);
    return centre + scale * Math.log(inside / (1 - inside));
  };
}

/** Draws from `first` with probability `share`. The result is not monotonic: it serves for drawing only. */
function mixture(share: number, first: ArrivalQuantile, second: ArrivalQuantile): ArrivalQuantile {
  return (of) => (of < share ? first(of / share) : second((of - share) / (1 - share)));
}
