import { serveRpc } from '../../testing/rpc.ts';
import { usedMb } from './memory-used.ts';

/** With `node --import` of this, any program serves `usedMb`. */
serveRpc({ usedMb });
