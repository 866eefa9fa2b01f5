/**
 * The credentials that the service gives out (5): a prefix and 256 random bits, shown once and stored only as their
 * SHA-256.
 */
import { hash, randomBytes } from 'node:crypto'
import { type TokenKind, tokenPrefixes } from '@svc/protocol'

/** Makes a credential of this kind. It is shown to a person once and stored only as its `hashToken`. */
export const newToken = (kind: TokenKind): string => tokenPrefixes[kind] + randomBytes(32).toString('base64url')

/** The SHA-256 of a credential in hex, by which its row is found. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')
