/**
 * The credentials that the service gives out (5): a prefix and 256 random bits. Each is given out once, and only its
 * SHA-256 is stored.
 */
import { hash, randomBytes } from 'node:crypto'
import { type TokenKind, tokenPrefixes } from '@svc/protocol'

/** Makes a credential of this kind. */
export const newToken = (kind: TokenKind): string => tokenPrefixes[kind] + randomBytes(32).toString('base64url')

/** The SHA-256 of a credential in hex, by which its row is found. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')
