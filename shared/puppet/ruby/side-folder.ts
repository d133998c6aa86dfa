import { fileURLToPath } from 'node:url';

/** The folder with Ruby's side of the border, which a bundle has beside it. */
export const SIDE_FOLDER = fileURLToPath(new URL('./side', import.meta.url));
