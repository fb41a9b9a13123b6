"""The hooks of this plugin: none; its commands are entry points of `compoworld.commands`."""
