/** What the log takes of a text that is typed, in characters. */
export const MAX_TEXT_LENGTH = 500;
