// Starts `cogen lsp`, and asks what to specialize.  The server does the rest.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const FORMS = ["scheme", "c", "python", "array", "html", "il"];

let client;

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("cogen").get("command");
  client = new LanguageClient(
    "cogen",
    "cogen",
    { command, args },
    {
      documentSelector: [{ language: "cogen" }, { language: "l0" }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{scm,sld,l0}") },
    }
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `${command} cannot be started (${error.message}): pip install "cogen-specializer[lsp]", ` +
        `or name the command in the setting cogen.command`
    );
  }
}

// The word at the cursor is the procedure to begin with.
async function specializeCall() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) {
    return;
  }
  const range = editor.document.getWordRangeAtPosition(editor.selection.active);
  const name = range ? editor.document.getText(range) : "";
  const call = await vscode.window.showInputBox({
    prompt: "A call with binding times: _, (dynamic int), (static 5), (cyclic 32 0), (list _ _)",
    value: `(${name} _)`,
  });
  const form = call && (await vscode.window.showQuickPick(FORMS, { title: "As what?" }));
  if (form) {
    const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
    await vscode.commands.executeCommand("cogen.specialize", uri, call, form);
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("cogen.specializeCall", specializeCall),
    vscode.commands.registerCommand("cogen.restart", async () => {
      await client?.stop();
      await start();
    })
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
