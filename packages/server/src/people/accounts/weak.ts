/**
 * Refuses passwords that attackers try first: the most common ones, and those made of what everybody knows about their
 * owner (ASVS 5, 6.2.4 and 6.2.11).
 */
import { readFileSync } from 'node:fs'
import { pathBeside } from '../../platform/installed.ts'

/** Facts about a person that people like to use in passwords, and that strangers can easily guess. */
export interface PersonalWords {
  email: string
  name?: string
  /** The names and short names of the person's workspaces. */
  workspaces?: readonly string[]
}

/**
 * The 3,000 most common passwords of ten or more characters, in lower case, one on each line; docs/dependencies.md says
 * where they come from. The file is read once, at the start of the service.
 */
const commonPasswords = new Set(readFileSync(pathBeside('commonPasswords'), 'utf8').trim().split('\n'))

const isCommon = (password: string): boolean => commonPasswords.has(password.trim().toLowerCase())

/** The reason why a password is easy to guess, as a sentence; undefined when it is not. */
export function whyWeak(password: string, own: PersonalWords): string | undefined {
  if (isCommon(password)) {
    return 'This password is among the 3,000 most common ones, which are tried first. Choose another.'
  }
  if (isMadeOf(password, own)) {
    return 'This password is made of your own e-mail address, name or workspace, which are tried first. Choose another.'
  }
  return undefined
}

/**
 * The minimum length of a word that counts as the owner's, because shorter words occur in many good passwords by
 * chance.
 */
const minWord = 3
/**
 * A password made of its owner's words is still refused if it has at most this many further characters, such as
 * "annexample2026!".
 */
const maxRest = 4

function isMadeOf(password: string, { email, name = '', workspaces = [] }: PersonalWords): boolean {
  const texts = [email, ...email.split(/[@.]/), name, ...name.split(/\s+/), ...workspaces]
  const words = [...new Set(texts.map(lettersOf))].filter((word) => word.length >= minWord)
  const letters = lettersOf(password)
  const rest = words.sort((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, ''), letters)
  return rest.length < letters.length && rest.length <= maxRest
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
