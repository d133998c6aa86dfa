/** Style sheets are bundled by esbuild and export nothing. */
declare module '*.css';
