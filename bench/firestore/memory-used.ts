import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Heap and external memory of this process after a garbage collection. */
export function usedMb(): number {
  // What the first one finalizes goes with the second.
  for (let round = 0; round < 2; round += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
