/** Style sheets are bundled by esbuild, beside the script that imports them. */
declare module '*.css';
