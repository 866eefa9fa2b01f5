/**
 * Passwords that attackers try first: the most common ones, and words that everybody knows about their owner (ASVS 5,
 * 6.2.4 and 6.2.11).
 */
import { commonPasswords } from './common-passwords.ts'

/** Words that are easy to remember for a person, and easy to guess for a stranger. */
export interface OwnWords {
  email: string
  name?: string
  /** Names and short names. */
  workspaces?: readonly string[]
}

let common: Set<string> | undefined

const isCommon = (password: string): boolean => {
  common ??= new Set(commonPasswords.trim().split(/\s+/))
  return common.has(password.trim().toLowerCase())
}

/** The reason why a password is easy to guess, as a sentence; undefined when it is not. */
export function whyWeak(password: string, own: OwnWords): string | undefined {
  if (isCommon(password)) {
    return 'This password is among the 3,000 most common ones, which are tried first. Choose another.'
  }
  if (isMadeOf(password, own)) {
    return 'This password is made of your own e-mail address, name or workspace, which are tried first. Choose another.'
  }
  return undefined
}

/** Shorter words occur in many good passwords by chance. */
const minWord = 3
/** A password with at most this many other characters consists of its owner's words: "annexample2026!". */
const maxRest = 4

function isMadeOf(password: string, { email, name = '', workspaces = [] }: OwnWords): boolean {
  const texts = [email, ...email.split(/[@.]/), name, ...name.split(/\s+/), ...workspaces]
  const words = [...new Set(texts.map(lettersOf))].filter((word) => word.length >= minWord)
  const letters = lettersOf(password)
  const rest = words.sort((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, ''), letters)
  return rest.length < letters.length && rest.length <= maxRest
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
