#!/bin/sh
# Makes the PDF and Office files of this folder. They are committed, so this runs only to change them.
# Debian: apt-get install -y --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui qpdf poppler-utils img2pdf
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# page NUMBER TEXT: one page of an HTML file
page() {
	[ "$1" -gt 1 ] && break='style="page-break-before: always"' || break=''
	echo "<p $break>$2</p>"
}
convert() {
	soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$@" --outdir "$work" >/dev/null 2>&1
}
pdf() {
	convert pdf:writer_web_pdf_Export "$work/$1.html"
}

{
	page 1 'Goods may be returned within thirty days. Keep the receipt, because we ask for it.'
	page 2 'Money is refunded within a week. Refunds go to the card that was used.'
	page 3 'Parcels leave on the day of the order. Delivery takes two working days.'
} >"$work/guide.html"
# Lines that differ only in their numbers would be taken for a stamp of a scanner.
for number in $(seq 60); do
	name=$(echo "$number" | sed 's/0/zero /g; s/1/one /g; s/2/two /g; s/3/three /g; s/4/four /g; s/5/five /g; s/6/six /g; s/7/seven /g; s/8/eight /g; s/9/nine /g; s/ $//')
	page "$number" "Chapter $name. This is page $number of the handbook. Rule $number says what to do on day $number."
done >"$work/handbook.html"
cat >"$work/terms.html" <<'EOF'
<h1>Terms</h1><h2>Returns</h2><p>Goods may be returned within thirty days.</p>
<h2>Prices</h2><p>These prices are valid:</p><ol><li>Net</li><li>Gross</li></ol>
<table><tr><td>Name</td><td>Price</td></tr><tr><td>Ladder</td><td>79</td></tr></table>
EOF
# shape CLASS TOP TEXT: a text box of a slide
shape() {
	echo "<draw:frame $1 svg:x='1cm' svg:y='$2cm' svg:width='20cm' svg:height='3cm'><draw:text-box><text:p>$3</text:p></draw:text-box></draw:frame>"
}
ns=urn:oasis:names:tc:opendocument:xmlns
cat >"$work/talk.fodp" <<EOF
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="$ns:office:1.0" xmlns:text="$ns:text:1.0" xmlns:draw="$ns:drawing:1.0" xmlns:presentation="$ns:presentation:1.0" xmlns:svg="$ns:svg-compatible:1.0" xmlns:style="$ns:style:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:master-styles><style:master-page style:name="M" style:page-layout-name="L"/></office:master-styles><office:body><office:presentation>
<draw:page draw:master-page-name="M">$(shape '' 1 'Our talk about ladders.')<presentation:notes>$(shape 'presentation:class="notes"' 15 'Welcome everybody.')</presentation:notes></draw:page>
<draw:page draw:master-page-name="M">$(shape '' 1 'A ladder costs 79 euros.')</draw:page>
</office:presentation></office:body></office:document>
EOF
cat >"$work/stock.fods" <<EOF
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="$ns:office:1.0" xmlns:text="$ns:text:1.0" xmlns:table="$ns:table:1.0" xmlns:style="$ns:style:1.0" xmlns:number="$ns:datastyle:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles><number:date-style style:name="D"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style><style:style style:name="d" style:family="table-cell" style:data-style-name="D"/></office:automatic-styles><office:body><office:spreadsheet>
<table:table table:name="Stock"><table:table-row><table:table-cell office:value-type="string"><text:p>Item</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Since</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>Nail</text:p></table:table-cell><table:table-cell table:style-name="d" office:value-type="date" office:date-value="2026-12-24"/></table:table-row></table:table>
<table:table table:name="Notes"><table:table-row><table:table-cell office:value-type="string"><text:p>Count in June.</text:p></table:table-cell></table:table-row></table:table>
</office:spreadsheet></office:body></office:document>
EOF
printf 'Name,Price,Size\nLadder,79.5,"2 m, foldable"\nHammer,12,\nSaw,20,"50 cm"\n' >"$work/prices.csv"

pdf guide
pdf handbook
# A page as a picture, without text.
pdftoppm -r 30 -gray -png -singlefile "$work/guide.pdf" "$work/guide"
img2pdf -o "$work/scan.pdf" "$work/guide.png"
convert xlsx "$work/prices.csv"
convert xlsx "$work/stock.fods"
convert pptx "$work/talk.fodp"
convert 'docx:MS Word 2007 XML' --infilter='HTML (StarWriter)' "$work/terms.html"

cp "$work/guide.pdf" "$work/handbook.pdf" "$work/scan.pdf" "$work/prices.xlsx" .
cp "$work/stock.xlsx" "$work/talk.pptx" "$work/terms.docx" .
qpdf --encrypt secret owner 256 -- guide.pdf encrypted.pdf
head -c 3000 guide.pdf >broken.pdf
