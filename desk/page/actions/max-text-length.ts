/** The longest text that the log accepts, in characters. */
export const MAX_TEXT_LENGTH = 500;
