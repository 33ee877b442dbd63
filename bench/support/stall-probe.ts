import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from './answer-questions.ts';

/**
 * With `node --import` of this, any program answers the question `longestStallMs`: how long its event loop did one
 * thing only, at the longest, since it was asked before.
 */
const RESOLUTION_MS = 10;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
answerQuestions({
  longestStallMs() {
    const longestMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    delay.reset();
    return longestMs;
  },
});
