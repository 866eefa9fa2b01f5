/** Arguments that many commands of `svc-server` share. */
export const slugArgument = ['<slug>', "the workspace's short name"] as const
export const workspaceOrServiceArgument = [
  '<slug>',
  "the workspace's short name, or @service for the service itself",
] as const
export const botArgument = ['<slug/name>', 'the workspace and the name of the bot'] as const
export const tagsOption = ['--tags <tags>', 'the tags of the agent: TAG,TAG…'] as const
export const agentArgument = ['<slug/name>', 'the workspace and the name of the agent'] as const
