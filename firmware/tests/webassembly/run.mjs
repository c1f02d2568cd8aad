// Run Python programs in MicroPython's WebAssembly port: node run.mjs <folder>
//
// Each line of the input is a program, as a JSON string. Each program runs in a new interpreter,
// with the folder of the firmware and its tests as its whole file system. The answer is a line
// of JSON: whether it ended well, and its output.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const folders = [];
const files = [];

function read(from, to) {
    folders.push(to);
    for (const name of readdirSync(from)) {
        const source = join(from, name);
        if (statSync(source).isDirectory()) {
            if (name !== "node_modules" && name !== "__pycache__") read(source, `${to}/${name}`);
        } else if (/\.(py|json)$/.test(name)) {
            files.push([`${to}/${name}`, readFileSync(source)]);
        }
    }
}

async function run(program) {
    const output = [];
    const keep = (line) => output.push(line);
    const options = { heapsize: 192 * 1024, linebuffer: true, stdout: keep, stderr: keep };
    const micropython = await loadMicroPython(options);
    for (const path of folders) micropython.FS.mkdirTree(path);
    for (const [path, content] of files) micropython.FS.writeFile(path, content);
    micropython.FS.chdir("/firmware/cutcard_firmware");
    try {
        micropython.runPython(program);
        return { ok: true, output: output.join("\n") };
    } catch (error) {
        return { ok: false, output: [...output, error.message ?? error].join("\n") };
    }
}

read(process.argv[2], "/firmware");
for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await run(JSON.parse(line))));
}
