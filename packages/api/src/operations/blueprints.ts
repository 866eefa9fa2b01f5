/** Operations on blueprints, install codes, and the bots that act for agents in products (2.9, 2.10). */

import { maxCodesAtOnce } from '@svc/protocol'
import type {
  BlueprintPage,
  Blueprints,
  BlueprintVersion,
  Bots,
  InstallCode,
  NewCodes,
  WorkspaceProduct,
} from '../answers/blueprints.ts'
import * as bounds from '../bounds.ts'
import { maxTags } from '../filter/tags.ts'
import { list, object, optional, pasted, whole } from '../input.ts'
import { change, reading } from '../operation.ts'
import { botArgument, slugArgument, tagsOption } from './arguments.ts'
import { tag } from './tags.ts'

const versionArgument = ['<blueprint@version>', 'what it installs'] as const
const productOption = ['--product <id>', 'only its bot in this product'] as const

export const blueprints = reading<Blueprints>()('GET /w/:slug/blueprints', {
  says: 'list the blueprints of a workspace',
  command: { name: 'blueprint list', args: [slugArgument] },
})
export const uploadBlueprint = change<BlueprintVersion>()('POST /w/:slug/blueprints', {
  says: 'upload a bundle as a new version of its blueprint',
  proof: true,
  makes: true,
  audit: ['blueprint.uploaded'],
  pages: ['list'],
  again: 'refused',
  adds: bounds.bundles,
  manual: 'its body is the zip itself, which is written to the disk while it arrives',
})
export const showBlueprint = reading<BlueprintPage>()('GET /w/:slug/blueprints/:blueprint', {
  says: 'show a blueprint: its versions, and the agents that run it',
  command: { name: 'blueprint show', args: [['<slug/name>', 'the workspace and the name of the blueprint']] },
})
export const showVersion = reading<BlueprintVersion>()('GET /w/:slug/blueprints/:blueprint/versions/:version', {
  says: 'show a version of a blueprint',
})
export const deleteVersion = change<{ ok: true }>()('DELETE /w/:slug/blueprints/:blueprint/versions/:version', {
  says: 'delete a version that no agent runs or keeps',
  audit: ['blueprint.deleted'],
  pages: ['list'],
  again: 'refused',
  adds: null,
  command: {
    name: 'blueprint delete',
    args: [['<slug/name@version>', 'the workspace, the blueprint and its version']],
  },
})
export const downloadBundle = reading<Uint8Array>()('GET /w/:slug/blueprints/:blueprint/versions/:version/bundle', {
  right: 'admin',
  says: 'download the bundle of a version, byte for byte as it was uploaded',
  manual: 'its answer is the zip itself',
})

export const codes = reading<InstallCode[]>()('GET /w/:slug/codes', {
  says: 'list the install codes that a workspace issued in the last 30 days',
  command: { name: 'code list', args: [slugArgument] },
})
export const issueCodes = change<NewCodes>()('POST /w/:slug/codes', {
  says: 'issue install codes, each for one agent; they are shown once and expire after fifteen minutes',
  input: object({
    blueprint: pasted(),
    version: pasted(),
    agent: optional(pasted()),
    tags: optional(list(tag, maxTags)),
    count: optional(whole(1, maxCodesAtOnce)),
  }),
  proof: true,
  makes: true,
  audit: ['code.issued'],
  pages: ['list'],
  again: 'new',
  adds: bounds.codes,
  command: {
    name: 'code issue',
    args: [slugArgument, versionArgument],
    options: [
      ['--agent <name>', "the agent's name (default: the blueprint's, with a number where that is taken)"],
      [
        '--count <number>',
        `issue so many, up to ${maxCodesAtOnce}, for agents with the next free names after that one: all or none`,
      ],
      tagsOption,
    ],
  },
})
export const showCode = reading<InstallCode>()('GET /w/:slug/codes/:id', {
  says: 'show an install code and the agent that it installed',
})
export const revokeCode = change<{ ok: true }>()('DELETE /w/:slug/codes/:id', {
  says: 'revoke an install code that was not used yet',
  audit: ['code.revoked'],
  pages: ['list'],
  again: 'refused',
  adds: null,
  command: { name: 'code revoke', args: [['<id>', 'as svc-server code list names it']] },
})

export const bots = reading<Bots>()('GET /w/:slug/bots', {
  says: 'list the bots of a workspace with their tokens',
  command: { name: 'bot list', args: [slugArgument] },
})
export const revokeBot = change<{ revoked: number }>()('POST /w/:slug/bots/:id/revoke', {
  says: 'revoke all tokens of a bot; its product then refuses them',
  audit: ['bot.revoked'],
  pages: ['list', 'agent'],
  again: 'same',
  adds: null,
  command: { name: 'bot revoke', args: [botArgument], options: [productOption] },
})
export const revokeBotToken = change<{ revoked: number }>()('POST /w/:slug/bots/:id/tokens/:token/revoke', {
  says: 'revoke one token of a bot',
  audit: ['bot.revoked'],
  pages: ['list', 'agent'],
  again: 'same',
  adds: null,
})
export const deleteBot = change<{ ok: true }>()('DELETE /w/:slug/bots/:id', {
  says: 'delete a bot with its tokens; a workspace may have ten',
  audit: ['bot.deleted'],
  pages: ['list', 'agent'],
  again: 'refused',
  adds: null,
  command: { name: 'bot delete', args: [botArgument], options: [productOption] },
})
export const products = reading<WorkspaceProduct[]>()('GET /w/:slug/products', {
  says: 'list the products that a workspace is activated for',
})
