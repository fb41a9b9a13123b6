"""Writes the card as `compoworld services cards` does: sorted keys, no escapes."""

import json
from pathlib import Path

path = Path("src", "{{ cookiecutter.package }}", "cards.json")
card = json.loads(path.read_text(encoding="utf-8"))
text = json.dumps(card, indent=1, sort_keys=True, ensure_ascii=False)
path.write_text(text + "\n", encoding="utf-8")
