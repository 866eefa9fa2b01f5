/**
 * Declares the three globals of the platform that this pure code uses. Every platform has them, but TypeScript declares
 * them only in libraries for one platform, such as the DOM or Node.js.
 */

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}

declare const URL: {
  new (text: string): { readonly hostname: string }
  canParse(text: string): boolean
}
