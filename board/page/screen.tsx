import { drawBoard } from './draw-board.tsx';
import { board } from './main.ts';

// Reading React took a while; the server's answers of that time are handled first.
setTimeout(() => drawBoard(document, board));
